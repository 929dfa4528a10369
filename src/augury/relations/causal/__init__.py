"""The factor base: factors (things in the world that markets are about), the edges and links that
say which drives which or moves with which, and verdicts on pairs of factors."""
