import { startIssuer, type Issuer } from "#fixtures/issuer/issuer.ts";
import { typedJson } from "./cli.ts";
import type { TestServer } from "./server.ts";
import { bearer, visitor, type Visitor } from "./visitor.ts";

/** A sign-in provider on the server's clock. Close it at the end. */
export async function providerOf(server: TestServer): Promise<Issuer> {
  return await startIssuer({ now: () => server.clock.now() });
}

/** Has the operator take its tokens, `more` being options of the command. Answers the rule's id. */
export async function takeTokensOf(server: TestServer, provider: Issuer, ...more: string[]): Promise<string> {
  const args = ["jwt-rule", "add", provider.issuer, "--jwks", provider.jwksUrl, ...more];
  return (await typedJson<{ id: string }>(server.place, ...args)).id;
}

/** Whoever comes with this token of a provider. */
export function withProviderToken(server: TestServer, token: string, name = "ada"): Visitor {
  return visitor(server.url, name, bearer(token));
}

/** The token that an answer gives in exchange, without its scheme. */
export function exchanged({ headers }: { headers: Headers }): string | undefined {
  return /^Bearer (\S+)$/.exec(headers.get("authorization") ?? "")?.[1];
}
