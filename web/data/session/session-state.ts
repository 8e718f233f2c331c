import type { Me } from "#contract/endpoints/auth.ts";
import { backoffMs, pause } from "#web/lib/backoff.ts";
import { createBearerSession } from "./bearer-session.ts";
import { createCall, type Call, type Fetch } from "../call.ts";
import { createCookieSession } from "./cookie-session.ts";
import { single, type Credentials } from "./credentials.ts";
import { CallError } from "../call-error.ts";
import { failureOf, type Failure } from "../failure.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import { createStore, type Store } from "#web/lib/store.ts";

export type SessionState = { state: "opening" | "ready" | "failed"; me?: Me; error?: Failure };

/** Who this browser is, and the way to the service that goes with it. */
export type BrowserSession = {
  state: Pick<Store<SessionState>, "get" | "subscribe">;
  credentials: Credentials;
  call: Call;
  /** Opens the session, or tries again; what may pass is tried on by itself. Never throws. */
  open: () => Promise<void>;
  /** Until the service has said who this is. Throws `CallError` where it cannot be asked. */
  known: () => Promise<void>;
  /** Throws `CallError`. */
  openAsOwner: (secret: string) => Promise<void>;
};

/** `onAnotherPerson` is called when this browser turns out to be someone else than before. */
export function createBrowserSession(options: {
  baseUrl: string;
  fetch: Fetch;
  storage: SafeStorage;
  onAnotherPerson: () => void;
}): BrowserSession {
  const state = createStore<SessionState>({ state: "opening" });
  let tries = 0;
  let waiting = false;

  function met(me: Me): void {
    const before = state.get().me;
    tries = 0;
    state.set({ state: "ready", me });
    if (before !== undefined && before.user_id !== me.user_id) options.onAnotherPerson();
  }

  const cookie = options.baseUrl === "" ? createCookieSession({ ...options, onMe: met }) : undefined;
  const credentials = cookie ?? createBearerSession(options);
  const call = createCall({ ...options, credentials });

  const ask = single(async () => {
    if (cookie === undefined) met(await call("auth.me", {}));
    else await cookie.open();
  });

  const open = single(async () => {
    try {
      await ask();
    } catch (error) {
      const failure = failureOf(error);
      state.set({ ...state.get(), state: "failed", error: failure });
      if (failure.retry && !waiting) void later(error instanceof CallError ? error.retryAfterMs : undefined);
    }
  });

  async function later(retryAfterMs: number | undefined): Promise<void> {
    waiting = true;
    await pause(retryAfterMs ?? backoffMs(++tries));
    waiting = false;
    if (state.get().state === "failed") await open();
  }

  return {
    state,
    credentials,
    call,
    open,
    async known() {
      if (state.get().me === undefined) await ask();
    },
    async openAsOwner(secret) {
      if (cookie === undefined) throw new CallError({ code: "unexpected", retry: true });
      await cookie.openAsOwner(secret);
    },
  };
}
