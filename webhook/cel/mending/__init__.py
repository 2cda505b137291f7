"""Mending what people write into selectors by habit: the doctor's workshop."""
