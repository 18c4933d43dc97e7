// Text boxes: they grow with their text, and Enter sends it.

export function grow(box) {
  box.style.height = "";
  if (box.value) box.style.height = `${Math.min(box.scrollHeight + 2, 240)}px`;
}

export function submitOnEnter(event) {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}
