import { useQuery } from "@tanstack/react-query";
import type { ResponseOf } from "#contract/api.ts";
import { requestLineOf } from "#web/data/request-line.ts";
import type { InvitationFacts, SignInOptions } from "#contract/endpoints/accounts.ts";
import { attempt, bodyOf, pageFetch, readJson } from "../call.ts";
import { readBaseUrl } from "./base-url.ts";

/** Calls of people who may have no session. */
async function callWithoutSession<Answer>(
  name: "accounts.options" | "accounts.checkInvitation" | "accounts.proxyPerson",
  body?: object,
): Promise<Answer> {
  const { method, path } = requestLineOf(name);
  const options = { baseUrl: readBaseUrl(), fetch: pageFetch };
  return await readJson(await attempt(options, options.baseUrl + path, { method, ...bodyOf(body) }, {}));
}

/** How people sign in to this server; `undefined` until it is known. */
export function useSignInOptions(): SignInOptions | undefined {
  const { data } = useQuery({
    queryKey: ["sign-in-options"],
    queryFn: async () => await callWithoutSession<SignInOptions>("accounts.options"),
    staleTime: 0,
  });
  return data;
}

/** Whether people can create an account without an invitation. */
export function canSignUp({
  has_accounts: hasAccounts,
  joining,
  has_domains: hasDomains,
}: SignInOptions): boolean {
  return hasAccounts && (joining !== "invitation" || hasDomains);
}

/** The address of the person who signed in at a proxy in front of the server, if there is one. */
export function useProxyPerson(): string | undefined {
  const { data } = useQuery({
    queryKey: ["proxy-person"],
    queryFn: async () => await callWithoutSession<ResponseOf<"accounts.proxyPerson">>("accounts.proxyPerson"),
    staleTime: 0,
  });
  return data?.email ?? undefined;
}

/** What an invitation offers. `error` is a `CallError`. */
export function useInvitation(token: string | undefined): {
  facts: InvitationFacts | undefined;
  error: Error | null;
} {
  const { data, error } = useQuery({
    queryKey: ["invitation", token],
    queryFn: async () => await callWithoutSession<InvitationFacts>("accounts.checkInvitation", { token }),
    enabled: token !== undefined,
    staleTime: 0,
  });
  return { facts: data, error };
}
