import { useEffect, useState } from "react";
import { useWindowEvent } from "#web/lib/use-window-event.ts";

/** The secret in the fragment of a link, which is then removed from the address bar and the history. */
export function useSecretOfLink(): string | undefined {
  const [secret, setSecret] = useState(readSecret);
  // Pasting another link into the address bar changes only the hash and does not load the page.
  useWindowEvent("hashchange", () => setSecret((previous) => readSecret() ?? previous));
  useEffect(() => {
    history.replaceState(history.state, "", location.pathname);
  }, [secret]);
  return secret;
}

function readSecret(): string | undefined {
  const secret = location.hash.slice(1);
  try {
    return secret === "" ? undefined : decodeURIComponent(secret);
  } catch {
    return secret;
  }
}
