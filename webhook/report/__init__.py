"""Outcomes of a check of files, and their forms."""

from webhook.report.json import render_json
from webhook.report.text import render_text, summary
from webhook.report.types import Judged, NotChecked, Report

__all__ = ["Judged", "NotChecked", "Report", "render_json", "render_text", "summary"]
