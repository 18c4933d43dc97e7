// Interface icons as SVG, which every machine draws alike. Each is a path in a box of 24 by 24.
const PATHS = {
  ask: "M12 3l7 2.5v6c0 4.5-3 7.5-7 9.5-4-2-7-5-7-9.5v-6zM9.8 10a2.2 2.2 0 1 1 3.1 2"
    + "q-.9.5-.9 1.4M12 16.5v.01",
  react: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.3 14.5a4.7 4.7 0 0 0 7.4 0M9 9.8v.01M15 9.8v.01",
  reply: "M4 5h16v11h-8.5L7 20v-4H4z",
  edit: "M4 20l1-4.2L15.8 5l3.2 3.2L8.2 19zM13.5 7.3l3.2 3.2",
  delete: "M5 7h14M9.5 7V4h5v3M7 7l.8 13h8.4L17 7M10.5 11v5.5M13.5 11v5.5",
  close: "M6 6l12 12M18 6L6 18",
  send: "M4 12.5L20 4l-5.5 16-3.5-6.5zM11 13.5L20 4",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  channel: "M5 9h15M4 15h15M10 4L8 20M16 4l-2 16",
  clock: "M12 4a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 8v4.5l3 2",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  private: "M3 12q4-6 9-6t9 6q-4 6-9 6t-9-6zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  report: "M6 21V4M6 5q3-2 6 0t6 0v8q-3 2-6 0t-6 0",
  how: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.5M12 7.5v.01",
};
const SVG = "http://www.w3.org/2000/svg";

/** Returns an icon, which assistive technology does not see, or null if there is none. */
export function icon(name) {
  if (!(name in PATHS)) return null;
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon-image");
  svg.setAttribute("aria-hidden", "true");
  svg.dataset.icon = name;
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Draws the icons that the document asks for with `data-icon`. */
export function fillIcons(root) {
  for (const one of root.querySelectorAll("[data-icon]:not(svg)")) {
    one.prepend(icon(one.dataset.icon));
  }
}
