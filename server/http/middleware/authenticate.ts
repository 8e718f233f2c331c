import type { Endpoint } from "#contract/endpoint.ts";
import { AppError } from "../../lib/errors.ts";
import type { ProjectKey, Visitor } from "../../lib/route.ts";
import type { EndpointContext, EndpointMiddleware } from "../context.ts";
import { isOwnPage, isOwnRead, type CookieJar } from "../cookie.ts";

export type AuthenticateOptions = {
  /**
   * The visitor that the bearer token, the API key's headers or the session cookie identify. `token` is an access token
   * of ours, if the credential was the token of a sign-in provider. Throws the 401s and 403s of the catalogue.
   */
  identify(credential: Credential): Promise<{ visitor: Visitor; token?: string }>;
  /** The API key of a caller that reads a whole project; `undefined` if there is none. Throws `invalid-api-key`. */
  identifyKey(credential: Credential): Promise<ProjectKey | undefined>;
  cookies: CookieJar;
  /** The origin that people see, if a proxy is in front. */
  publicOrigin: string | undefined;
};

export type Credential = {
  authorization: string | undefined;
  userIdHeader: string | undefined;
  workspaceIdHeader: string | undefined;
  sessionToken: string | undefined;
};

/** Identifies the caller, and refuses callers that may not use the endpoint. */
export function authenticate(endpoint: Endpoint, options: AuthenticateOptions): EndpointMiddleware {
  return async (c, next) => {
    const header = (name: string) => c.req.header(name);
    const ownPage =
      isOwnPage(header, options.publicOrigin) || (endpoint.kind === "bytes" && isOwnRead(header));
    const usesCookie = ownPage && header("authorization") === undefined;
    c.set("ownPage", ownPage);
    c.set("sessionToken", usesCookie ? options.cookies.read(header("cookie")) : undefined);
    c.set("caller", await identifyCaller(c, endpoint, options));
    await next();
  };
}

async function identifyCaller(
  c: EndpointContext,
  endpoint: Endpoint,
  options: AuthenticateOptions,
): Promise<{ visitor?: Visitor; key?: ProjectKey }> {
  if (endpoint.caller === "anyone" || endpoint.caller === "link") return {};
  const credential: Credential = {
    authorization: c.req.header("authorization"),
    userIdHeader: c.req.header("aui-user-id"),
    workspaceIdHeader: c.req.header("aui-workspace-id"),
    sessionToken: c.get("sessionToken"),
  };
  const key = endpoint.caller === "project" ? await options.identifyKey(credential) : undefined;
  if (key !== undefined) return { key };
  // Before the kind of caller is checked: an invalid credential is always reported as such.
  const { visitor, token } = await options.identify({
    ...credential,
    workspaceIdHeader: credential.workspaceIdHeader ?? endpoint.defaultWorkspace,
  });
  if (token !== undefined)
    c.set("commonHeaders", { ...c.get("commonHeaders"), Authorization: `Bearer ${token}` });
  if (endpoint.caller === "project" || (endpoint.caller === "key" && visitor.kind !== "key"))
    throw new AppError("backend-only");
  if (endpoint.caller === "admin" && visitor.kind !== "admin") throw new AppError("not-allowed");
  return { visitor };
}
