import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { Share } from "#contract/endpoints/shares.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";

const queryKey = ["shares"];

/** The person's links to their threads, or to one of them. Changes throw `CallError`. */
export function useShares(threadId?: string) {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey: [...queryKey, threadId ?? ""],
    queryFn: async ({ signal }) =>
      await call("shares.list", { query: threadId === undefined ? {} : { thread_id: threadId } }, signal),
    staleTime: 0,
  });
  const changing = async <T>(change: Promise<T>) => await refreshAfter(queries, [queryKey], change);
  return {
    ...loadedOf(query),
    shares: query.data?.shares ?? noShares,
    create: async (body: BodyInputOf<"shares.create">) => await changing(call("shares.create", { body })),
    update: async (id: string, body: BodyInputOf<"shares.update">) =>
      await changing(call("shares.update", { params: { share_id: id }, body })),
    revoke: async (id: string) => await changing(call("shares.revoke", { params: { share_id: id } })),
  };
}

const noShares: Share[] = [];

/** Copies a shared thread into the visitor's own threads. Returns the id of the copy. Throws `CallError`. */
export function useContinueShare(): (secret: string) => Promise<string> {
  const { call } = useServices();
  return async (secret) => {
    const [token = "", pass = "", at = ""] = secret.split(".");
    const body = { token, ...(pass === "" ? {} : { pass }), ...(at === "" ? {} : { at }) };
    return (await call("shares.continue", { body })).thread_id;
  };
}
