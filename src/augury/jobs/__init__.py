"""Durable jobs and schedules on the same PostgreSQL."""
