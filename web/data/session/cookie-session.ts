import type { Me } from "#contract/endpoints/auth.ts";
import { paths } from "#contract/paths.ts";
import { answerOf, attempt, type Fetch } from "../call.ts";
import { alone, single, type Credentials } from "./credentials.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

export type CookieSession = Credentials & {
  /** Asks the service whose session this is; it makes one where there is none. Throws `CallError`. */
  open: () => Promise<void>;
  /** With the owner's secret: becomes the owner. Throws `CallError`. */
  openAsOwner: (secret: string) => Promise<void>;
};

const sessionLock = "parlance-session";
const openedKey = "parlance.session-opened";

/**
 * The session of the page's own origin: a cookie that no script can read. `onMe` hears whose it is at each opening. A
 * browser that has opened one before asks for its threads at once, beside the opening: if the cookie no longer holds,
 * the service says so and the calls are repeated.
 */
export function createCookieSession(options: {
  fetch: Fetch;
  storage: SafeStorage;
  onMe: (me: Me) => void;
}): CookieSession {
  let current: Record<string, string> | undefined =
    options.storage.get(openedKey) === undefined ? undefined : {};

  async function ask(body: { owner_secret?: string }): Promise<Record<string, string>> {
    const { method, path } = paths["auth.openSession"];
    const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const me = await answerOf<Me>(await attempt({ baseUrl: "", fetch: options.fetch }, path, init, {}));
    // A new object each time: `renew` tells by it whether someone else has renewed already.
    current = {};
    options.storage.set(openedKey, "yes");
    options.onMe(me);
    return current;
  }

  const openOnce = single(async () => await alone(sessionLock, async () => await ask({})));
  let opening: Promise<unknown> | undefined;
  const open = async () => {
    const asked = openOnce();
    opening = asked;
    return await asked;
  };

  return {
    async open() {
      await open();
    },
    headers: async () => current ?? (await open()),
    async renew(refused) {
      if (current !== undefined && current !== refused) return;
      current = undefined;
      await open();
    },
    async openAsOwner(secret) {
      // After the visitor's session, so that its cookie does not come last.
      await (opening ?? Promise.resolve()).catch(() => {});
      await alone(sessionLock, async () => await ask({ owner_secret: secret }));
    },
  };
}
