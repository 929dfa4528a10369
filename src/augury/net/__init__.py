"""Requests to addresses that users gave: checked, and limited in size and time."""
