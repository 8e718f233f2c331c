import type { ResponseOf } from "#contract/api.ts";
import { CallError } from "../call-error.ts";
import type { SignInCall } from "./cookie-session.ts";
import { nameHere } from "#web/lib/base-path.ts";

/** A sign-in that has begun in this tab, until the provider sends the browser back. */
type BegunSignIn = { flow: string; to: string };

const key = nameHere("parlance.sign-in");

/** Sends the browser to the provider. It comes back to `/sign-in/callback/:id`, and then goes to `to`. Throws `CallError`. */
export async function leaveForProvider(
  signInWith: SignInCall,
  providerId: string,
  { to, ...body }: { to: string; invitation?: string; connect?: boolean },
): Promise<void> {
  const { url, flow } = await signInWith("accounts.startProvider", body, { provider: providerId });
  // Only this tab can finish it. Without storage nobody can, and the page says that it took too long.
  sessionStorage.setItem(key, JSON.stringify({ flow, to } satisfies BegunSignIn));
  location.assign(url);
}

/** Finishes the sign-in of this tab with the query of the page. Throws `CallError`. */
export async function returnFromProvider(
  signInWith: SignInCall,
  providerId: string,
  response: string,
): Promise<ResponseOf<"accounts.finishProvider"> & { to: string }> {
  const stored = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (stored === null) throw new CallError({ code: "sign-in-expired", retry: false });
  const { flow, to } = JSON.parse(stored) as BegunSignIn;
  const params = { provider: providerId };
  return { ...(await signInWith("accounts.finishProvider", { flow, response }, params)), to };
}
