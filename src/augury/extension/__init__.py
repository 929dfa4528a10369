"""Finds markets on the subject of the web page that a reader is on.

For pages on sports: a fixture is one game, its sides are the two teams or players in it, and a
squad is one of several teams of a club or country (women, youth, reserves).
"""
