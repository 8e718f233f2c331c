import type { User } from "../support/parlance.ts";
import type { Measured } from "../support/process.ts";

/** Signs in as the owner with the link that the server printed. */
export async function createOwner({ url, printed }: Measured): Promise<User> {
  const [, secret] = await printed(/\/owner#(\S+)/);
  const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
  const opened = await fetch(`${url}/v1/auth/session`, {
    method: "POST",
    headers,
    body: JSON.stringify({ owner_secret: secret }),
  });
  if (!opened.ok) throw new Error(`the owner could not sign in: ${opened.status}`);
  return { url, headers: { ...headers, Cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" } };
}
