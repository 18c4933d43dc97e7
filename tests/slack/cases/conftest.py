"""The workspace of these tests."""

from tests.slack.moderators.scene import classifier, scene

__all__ = ["classifier", "scene"]
