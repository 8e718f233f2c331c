import { expect } from "vitest";
import type { BodyInputOf, EndpointName } from "#contract/api.ts";
import type { Me } from "#contract/endpoints/auth.ts";
import type { TestServer } from "../servers/server.ts";
import { newAddress, visitor, type Answer, type Visitor } from "./visitor.ts";

/** The endpoints that set the session's cookie. */
type CookieEndpoint =
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

/** A browser with the web app: it keeps the session's cookie. */
export type Browser = Visitor & {
  /** Calls an endpoint that can change the cookie. */
  post<N extends CookieEndpoint>(
    name: N,
    body?: BodyInputOf<N>,
    params?: Record<string, string>,
  ): Promise<Answer<Me>>;
  cookie(): string | undefined;
  /** Another tab, with the cookie that the browser has now. */
  tab(): Visitor;
};

export const password = "correct horse battery";

let domains = 0;

/** An e-mail address that no test has used, also when a test is retried on the same server. */
export function newEmail(name: string): string {
  return `${name}@${++domains}.example.com`;
}

/** Opens the web app in a new browser, from a new address unless `address` is given. */
export function openBrowser(url: string, address: Record<string, string> = newAddress()): Browser {
  const headers: Record<string, string> = { "Parlance-Client": "web", ...address };
  const cookies = new Map<string, string>();
  const tabOf = (name: string) => visitor(url, name, headers);
  const browser = tabOf("a browser");
  const post = async (
    name: EndpointName,
    body: unknown,
    params?: Record<string, string>,
  ): Promise<Answer<Me>> => {
    const answer = await browser.ask(name, { body, ...(params === undefined ? {} : { params }) } as never);
    for (const set of answer.headers.getSetCookie()) {
      const [name, value] = set.split(";")[0]!.split("=") as [string, string];
      cookies.set(name, value);
      if (value === "") cookies.delete(name);
    }
    if (cookies.size > 0) headers["Cookie"] = [...cookies].map((cookie) => cookie.join("=")).join("; ");
    return answer as unknown as Answer<Me>;
  };
  return {
    ...browser,
    post,
    cookie: () => headers["Cookie"],
    tab: () => visitor(url, "a tab", { ...headers }),
  };
}

/** A browser in which the owner has just created their account. */
export async function createOwner(
  server: Pick<TestServer, "url" | "ownerLink">,
  email = "olga@example.com",
): Promise<Browser> {
  const browser = openBrowser(server.url);
  const owner_secret = server.ownerLink.split("#")[1]!;
  const made = await browser.post("accounts.signUp", { name: "Olga", email, password, owner_secret });
  expect(made.status, made.text).toBe(200);
  return browser;
}

/**
 * As before the first account: people can chat without an account, in the web app and in apps. Without a budget, so that
 * tests of other things do not use it up. Returns the owner.
 */
export async function openToEveryone<Owner extends Visitor>(owner: Owner): Promise<Owner> {
  await owner.call("signInSettings.put", {
    body: { joining: "invitation", guests: true, email_domains: [] },
  });
  const { apps } = await owner.call("console.apps");
  await owner.call("console.putAnonymousTokens", {
    params: { app_id: apps[0]!.id },
    body: { is_on: true, models: null, budget: null },
  });
  return owner;
}

/** A browser in which somebody has just joined by an invitation of `owner`. */
export async function join(
  owner: Visitor,
  {
    email,
    role = "member",
    browser = openBrowser(owner.url),
  }: { email: string; role?: "admin" | "member"; browser?: Browser },
): Promise<Browser> {
  const { link } = await owner.call("invitations.create", { body: { role } });
  const name = email.split("@")[0]!;
  const invitation = link.split("#")[1]!;
  const made = await browser.post("accounts.signUp", { name, email, password, invitation });
  expect(made.status, made.text).toBe(200);
  return browser;
}

/** A browser that signs in. */
export async function signIn(url: string, email: string, withPassword = password): Promise<Browser> {
  const browser = openBrowser(url);
  const answer = await browser.post("accounts.signIn", { email, password: withPassword });
  expect(answer.status, answer.text).toBe(200);
  return browser;
}
