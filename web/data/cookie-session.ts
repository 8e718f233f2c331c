import type { Me } from "#contract/auth.ts";
import { paths } from "#contract/paths.ts";
import { answerOf, attempt, type Fetch } from "./call.ts";
import { alone, single, type Credentials } from "./credentials.ts";

export type CookieSession = Credentials & {
  /** With the owner's secret: becomes the owner. Throws `CallError`. */
  openAsOwner: (secret: string) => Promise<void>;
};

const sessionLock = "parlance-session";

/** The session of the page's own origin: a cookie that no script can read. `onMe` hears whose it is at each opening. */
export function createCookieSession(options: { fetch: Fetch; onMe: (me: Me) => void }): CookieSession {
  let current: Record<string, string> | undefined;

  async function ask(body: { owner_secret?: string }): Promise<Record<string, string>> {
    const { method, path } = paths["auth.openSession"];
    const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const me = await answerOf<Me>(await attempt({ baseUrl: "", fetch: options.fetch }, path, init, {}));
    // A new object each time: `renew` tells by it whether someone else has renewed already.
    current = {};
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
