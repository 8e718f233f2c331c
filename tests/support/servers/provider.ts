import { startIssuer, type Issuer } from "#fixtures/issuer/issuer.ts";
import { runCommandJson } from "./cli.ts";
import type { TestServer } from "./server.ts";
import { bearer, visitor, type Visitor } from "../clients/visitor.ts";

/** Starts a sign-in provider that uses the server's clock. The caller closes it. */
export async function providerOf(server: TestServer): Promise<Issuer> {
  return await startIssuer({ now: () => server.clock.now() });
}

/** Adds a rule that accepts the provider's tokens; `more` are options of the command. Returns the rule's id. */
export async function acceptTokensOf(
  server: TestServer,
  provider: Issuer,
  ...more: string[]
): Promise<string> {
  const args = ["jwt-rule", "add", provider.issuer, "--jwks", provider.jwksUrl, ...more];
  return (await runCommandJson<{ id: string }>(server.place, ...args)).id;
}

/** A visitor with this token of a provider. */
export function withProviderToken(server: TestServer, token: string, name = "ada"): Visitor {
  return visitor(server.url, name, bearer(token));
}

/** The token that a response returns in exchange, without its scheme. */
export function exchangedToken({ headers }: { headers: Headers }): string | undefined {
  return /^Bearer (\S+)$/.exec(headers.get("authorization") ?? "")?.[1];
}
