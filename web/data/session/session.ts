import { useSyncExternalStore } from "react";
import { useServices } from "../provider.tsx";
import type { Permission } from "#contract/accounts/permissions.ts";
import { needsSignIn } from "./cookie-session.ts";
import type { SessionState } from "./session-state.ts";

/** The session, which opens by itself. */
export function useSession(): SessionState & { retry: () => void } {
  const { session } = useServices();
  const state = useSyncExternalStore(session.state.subscribe, session.state.get);
  return { ...state, retry: () => void session.open() };
}

/** Whether only a sign-in helps: the session of an account has ended, or guests are not allowed. */
export function useNeedsSignIn(): boolean {
  return needsSignIn(useSession().error?.code);
}

/** Whether the user has the permission; `undefined` until the server has identified the user. */
export function useCan(permission: Permission): boolean | undefined {
  return useSession().me?.permissions.includes(permission);
}
