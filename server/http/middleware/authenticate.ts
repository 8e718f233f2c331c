import type { Endpoint } from "#contract/endpoint.ts";
import type { Auth } from "../../sign-in/auth.ts";
import type { Credential } from "../../sign-in/identify.ts";
import { AppError } from "../../lib/errors.ts";
import { isOwnUser, type AppKey, type Visitor } from "../../lib/route.ts";
import type { EndpointContext, EndpointMiddleware } from "../request-context.ts";
import { isOwnPage, isOwnRead, type CookieJar } from "../cookie.ts";

export type AuthenticateOptions = {
  cookies: CookieJar;
  /** The origin that people see, if a proxy is in front. */
  publicOrigin: string | undefined;
} & Pick<Auth, "identify" | "identifyKey" | "identifyPersonalKey" | "rights">;

/** Identifies the caller, and refuses callers that may not use the endpoint. */
export function authenticate(endpoint: Endpoint, options: AuthenticateOptions): EndpointMiddleware {
  return async (c, next) => {
    const header = (name: string) => c.req.header(name);
    const ownPage =
      isOwnPage(header, options.publicOrigin) || (endpoint.kind === "bytes" && isOwnRead(header));
    const usesCookie = ownPage && header("authorization") === undefined;
    c.set("ownPage", ownPage);
    c.set("sessionToken", usesCookie ? options.cookies.read(header("cookie")) : undefined);
    c.set("browserToken", usesCookie ? options.cookies.readBrowser(header("cookie")) : undefined);
    c.set("caller", await identifyCaller(c, endpoint, options));
    await next();
  };
}

async function identifyCaller(
  c: EndpointContext,
  endpoint: Endpoint,
  options: AuthenticateOptions,
): Promise<{ visitor?: Visitor; key?: AppKey }> {
  if (endpoint.caller === "anyone" || endpoint.caller === "link") return {};
  const credential: Credential = {
    authorization: c.req.header("authorization"),
    userIdHeader: c.req.header("aui-user-id"),
    workspaceIdHeader: c.req.header("aui-workspace-id"),
    sessionToken: c.get("sessionToken"),
  };
  if (endpoint.caller === "personal")
    return { visitor: await permitted(endpoint, await options.identifyPersonalKey(credential), options) };
  const key = endpoint.caller === "app" ? await options.identifyKey(credential) : undefined;
  if (key !== undefined) return { key };
  // Before the kind of caller is checked, so that an invalid credential is always reported as such.
  const { visitor, token } = await options.identify(
    { ...credential, workspaceIdHeader: credential.workspaceIdHeader ?? endpoint.defaultWorkspace },
    endpoint,
  );
  if (token !== undefined)
    c.set("commonHeaders", { ...c.get("commonHeaders"), Authorization: `Bearer ${token}` });
  if (endpoint.caller === "app" || (endpoint.caller === "key" && visitor.kind !== "key"))
    throw new AppError("backend-only");
  if (endpoint.caller === "account" && (!isOwnUser(visitor) || visitor.role === "guest"))
    throw new AppError("not-allowed");
  return { visitor: await permitted(endpoint, visitor, options) };
}

/** The visitor, who has the permission that the endpoint names. Throws the error of the permission. */
async function permitted(
  { permission }: Endpoint,
  visitor: Visitor,
  { rights }: AuthenticateOptions,
): Promise<Visitor> {
  if (permission !== undefined) await rights.check(visitor, permission);
  return visitor;
}
