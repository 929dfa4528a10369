"""The macro runtime proxy: another service behind this one's keys, limits and cache."""
