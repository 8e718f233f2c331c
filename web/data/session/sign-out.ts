import { commitRemovals } from "../threads/removals.ts";
import type { SignInCall } from "./cookie-session.ts";

/** Signs the person out. Loads the page again, so that nothing of them stays in its memory. */
export async function signOut(signInWith: SignInCall): Promise<void> {
  await commitRemovals();
  await signInWith("auth.closeSession");
  location.assign("/sign-in");
}
