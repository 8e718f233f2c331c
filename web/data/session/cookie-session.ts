import type { Me } from "#contract/endpoints/auth.ts";
import { paths } from "#contract/paths.ts";
import { readJson, attempt, type Fetch } from "../call.ts";
import { singleFlight, withTabLock, type Credentials } from "./credentials.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

export type CookieSession = Credentials & {
  /** Opens the session; the server creates one if there is none. Throws `CallError`. */
  open: () => Promise<void>;
  /** Signs in as the owner with the owner's secret. Throws `CallError`. */
  openAsOwner: (secret: string) => Promise<void>;
};

const sessionLock = "parlance-session";
const openedKey = "parlance.session-opened";

/**
 * The session with the page's own origin: an HttpOnly cookie. Calls `onMe` with the user each time it is opened. A browser
 * that has opened a session before sends its first calls without waiting: if the cookie is no longer valid, the server
 * refuses them, and they are repeated.
 */
export function createCookieSession(options: {
  fetch: Fetch;
  storage: SafeStorage;
  onMe: (me: Me) => void;
}): CookieSession {
  let current: Record<string, string> | undefined =
    options.storage.get(openedKey) === undefined ? undefined : {};

  async function request(body: { owner_secret?: string }): Promise<Record<string, string>> {
    const { method, path } = paths["auth.openSession"];
    const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const me = await readJson<Me>(await attempt({ baseUrl: "", fetch: options.fetch }, path, init, {}));
    // A new object each time: `renew` compares it to see whether another call has renewed already.
    current = {};
    options.storage.set(openedKey, "yes");
    options.onMe(me);
    return current;
  }

  const openOnce = singleFlight(async () => await withTabLock(sessionLock, async () => await request({})));
  let opening: Promise<unknown> | undefined;
  const open = async () => {
    const opened = openOnce();
    opening = opened;
    return await opened;
  };

  return {
    async open() {
      await open();
    },
    headers: async () => current ?? (await open()),
    current: () => current,
    async renew(refused) {
      if (current !== undefined && current !== refused) return;
      current = undefined;
      await open();
    },
    async openAsOwner(secret) {
      // Wait for the visitor's session, so that its cookie cannot overwrite the owner's.
      await (opening ?? Promise.resolve()).catch(() => {});
      await withTabLock(sessionLock, async () => await request({ owner_secret: secret }));
    },
  };
}
