import type { BodyInputOf, ResponseOf } from "#contract/api.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import { requestLineOf } from "#web/data/request-line.ts";
import { CallError } from "../call-error.ts";
import { readJson, attempt, urlOf, type Fetch } from "../call.ts";
import { singleFlight, withTabLock, type Credentials } from "./credentials.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

export type CookieSession = Credentials & {
  /** Opens the session; the server creates one if there is none. Throws `CallError`. */
  open: () => Promise<void>;
  /** Calls an endpoint that signs somebody in or out, and becomes that user. Throws `CallError`. */
  signInWith: SignInCall;
};

/** The endpoints that replace the session's cookie. */
type SignInEndpoint =
  | "auth.openSession"
  | "auth.closeSession"
  | "accounts.signUp"
  | "accounts.signIn"
  | "accounts.resetPassword"
  | "accounts.requestReset"
  | "accounts.proxySignIn"
  | "accounts.startPasskeySignIn"
  | "accounts.passkeySignIn"
  | "accounts.startPasskeySignUp"
  | "accounts.directorySignIn"
  | "accounts.startProvider"
  | "accounts.finishProvider";

export type SignInCall = <N extends SignInEndpoint>(
  name: N,
  body?: BodyInputOf<N>,
  params?: Record<string, string>,
) => Promise<ResponseOf<N>>;

const sessionLock = "parlance-session";
const openedKey = "parlance.session-opened";

/**
 * The session with the page's own origin: an HttpOnly cookie. Calls `onMe` with the user each time it is opened. A browser
 * that has opened a session before sends its first calls without waiting: if the cookie is no longer valid, the server
 * refuses them, and they are repeated.
 */
export function createCookieSession(options: {
  baseUrl: string;
  fetch: Fetch;
  storage: SafeStorage;
  onMe: (me: Me) => void;
  /** Called when the server refuses to open a session. */
  onRefused: (error: CallError) => void;
}): CookieSession {
  let current: Record<string, string> | undefined =
    options.storage.get(openedKey) === undefined ? undefined : {};

  const request: SignInCall = async (name, body, params) => {
    const init = {
      method: requestLineOf(name).method,
      headers: { "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    return await readJson(await attempt(options, options.baseUrl + urlOf(name, { params }), init, {}));
  };

  function become(me: Me): Record<string, string> {
    // A new object each time: `renew` compares it to see whether another call has renewed already.
    current = {};
    options.storage.set(openedKey, "yes");
    options.onMe(me);
    return current;
  }

  const openOnce = singleFlight(
    async () =>
      await withTabLock(sessionLock, async () => {
        try {
          return become(await request("auth.openSession", {}));
        } catch (error) {
          if (error instanceof CallError && needsSignIn(error.failure.code)) options.onRefused(error);
          throw error;
        }
      }),
  );
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
    async signInWith(name, body, params) {
      // Wait for the visitor's session, so that its cookie cannot overwrite the new one.
      await (opening ?? Promise.resolve()).catch(() => {});
      return await withTabLock(sessionLock, async () => {
        const answer = await request(name, body, params);
        const { me, user_id: userId } = answer as { me?: Me | null; user_id?: string };
        const user = userId === undefined ? me : (answer as Me);
        if (user !== undefined && user !== null) become(user);
        return answer;
      });
    },
  };
}

/** Whether only a sign-in can help: the session of an account has ended, or guests are not allowed. */
export function needsSignIn(code: string | undefined): boolean {
  return code === "signed-out" || code === "anonymous-off";
}
