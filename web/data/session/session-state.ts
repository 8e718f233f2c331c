import type { Me } from "#contract/endpoints/auth.ts";
import { backoffMs, pause } from "#web/lib/backoff.ts";
import { isOwnOrigin } from "./base-url.ts";
import { createBearerSession } from "./bearer-session.ts";
import { createCall, type Call, type Fetch } from "../call.ts";
import { createCookieSession, type SignInCall } from "./cookie-session.ts";
import { singleFlight, type Credentials } from "./credentials.ts";
import { CallError } from "../call-error.ts";
import { failureOf, type Failure } from "../failure.ts";
import { setOwnTimeZone } from "./time-zone.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import { createStore, type Store } from "#web/lib/store.ts";

export type SessionState = { state: "opening" | "ready" | "failed"; me?: Me; error?: Failure };

/** The session of this browser: the user, the credentials, and calls that use them. */
export type BrowserSession = {
  state: Pick<Store<SessionState>, "get" | "subscribe">;
  credentials: Credentials;
  call: Call;
  /** Opens the session. After a temporary failure it retries by itself. Never throws. */
  open: () => Promise<void>;
  /** Resolves when the server has identified the user. Throws `CallError`. */
  identified: () => Promise<void>;
  /** Signs in or out. Throws `CallError`. */
  signInWith: SignInCall;
  /** The server has returned a changed user. */
  changed: (me: Me) => void;
};

/** Calls `onUserChange` when the server identifies another user than before, or the same one with another role. */
export function createBrowserSession(options: {
  baseUrl: string;
  fetch: Fetch;
  storage: SafeStorage;
  onUserChange: () => void;
}): BrowserSession {
  const state = createStore<SessionState>({ state: "opening" });
  let tries = 0;
  let isRetrying = false;

  function identify(me: Me): void {
    const before = state.get().me;
    tries = 0;
    setOwnTimeZone(me.profile?.time_zone ?? null);
    state.set({ state: "ready", me });
    if (before !== undefined && (before.user_id !== me.user_id || before.role !== me.role))
      options.onUserChange();
  }

  function refuse(error: CallError): void {
    state.set({ state: "failed", error: failureOf(error) });
  }

  const cookie = isOwnOrigin(options.baseUrl)
    ? createCookieSession({ ...options, onMe: identify, onRefused: refuse })
    : undefined;
  const credentials = cookie ?? createBearerSession(options);
  const call = createCall({ ...options, credentials });

  const requestUser = singleFlight(async () => {
    if (cookie === undefined) identify(await call("auth.me", {}));
    else await cookie.open();
  });

  const open = singleFlight(async () => {
    try {
      await requestUser();
    } catch (error) {
      const failure = failureOf(error);
      state.set({ ...state.get(), state: "failed", error: failure });
      if (failure.retry && !isRetrying)
        void retryLater(error instanceof CallError ? error.retryAfterMs : undefined);
    }
  });

  async function retryLater(retryAfterMs: number | undefined): Promise<void> {
    isRetrying = true;
    await pause(retryAfterMs ?? backoffMs(++tries));
    isRetrying = false;
    if (state.get().state === "failed") await open();
  }

  return {
    state,
    credentials,
    call,
    open,
    async identified() {
      if (state.get().me === undefined) await requestUser();
    },
    async signInWith(name, body, params) {
      if (cookie === undefined) throw new CallError({ code: "unexpected", retry: true });
      return await cookie.signInWith(name, body, params);
    },
    changed: identify,
  };
}
