// Deletion with a moment to think again: a message is only deleted once nobody has undone that.
const GRACE = 6000; // milliseconds
const pending = new Map();

export function isBeingDeleted(message) {
  return pending.has(message.ts);
}

/** Deletes a message after a moment; `redraw` is called when that begins and ends. */
export function deleteLater(message, send, redraw) {
  const finish = async (isLeaving = false) => {
    clearTimeout(pending.get(message.ts)?.timer);
    await send(isLeaving);
    pending.delete(message.ts);
    redraw();
  };
  pending.set(message.ts, { timer: setTimeout(finish, GRACE), finish, redraw });
  redraw();
}

export function undoDeletion(message) {
  const { timer, redraw } = pending.get(message.ts);
  clearTimeout(timer);
  pending.delete(message.ts);
  redraw();
}

// Whoever closes the page has not undone it.
window.addEventListener("pagehide", () => pending.forEach(({ finish }) => finish(true)));
