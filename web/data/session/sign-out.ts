import { commitRemovals } from "../threads/removals.ts";
import type { SignInCall } from "./cookie-session.ts";
import { inApp } from "#web/lib/base-path.ts";

/** Signs the person out. Loads the page again, so that nothing of them stays in its memory. */
export async function signOut(signInWith: SignInCall): Promise<void> {
  await commitRemovals();
  await signInWith("auth.closeSession");
  location.assign(inApp("/sign-in"));
}
