"""Durable jobs and schedules, kept in Augury's PostgreSQL database."""
