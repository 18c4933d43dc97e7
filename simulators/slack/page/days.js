// Date lines between the messages of different days.
const DAY = 24 * 3600 * 1000;

/** Draws a line above the first message of each day in a list. */
export function drawDays(list) {
  for (const line of list.querySelectorAll(":scope > .day")) line.remove();
  let before = "";
  for (const row of list.querySelectorAll(":scope > .message")) {
    const date = new Date(parseFloat(row.dataset.ts) * 1000);
    const day = date.toDateString();
    if (day !== before) row.before(line(date));
    before = day;
  }
}

function line(date) {
  const item = document.createElement("li");
  const time = document.createElement("time");
  item.className = "day";
  time.dateTime = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0")).join("-");
  time.textContent = dayName(date);
  item.append(time);
  return item;
}

function dayName(date) {
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return "Today";
  if (date.toDateString() === new Date(now - DAY).toDateString()) return "Yesterday";
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString([], { weekday: "long", month: "long", day: "numeric", year });
}
