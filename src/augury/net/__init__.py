"""Requests to addresses that users gave: guarded, bounded, on the clock."""
