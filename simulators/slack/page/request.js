// Requests to the workspace.
import { toast } from "./status.js";

/** Sends a request; returns what it is answered with, or null after an error, which is shown. */
export async function call(method, path, body, keepalive = false) {
  try {
    const answer = await fetch(`/client/${path}`, {
      method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), keepalive,
    });
    if (answer.ok) return await answer.json();
    const { error } = await answer.json();
    toast(`Request failed: ${String(error).replaceAll("_", " ")}`);
  } catch {
    toast("The workspace is not responding. Is it still running?");
  }
  return null;
}
