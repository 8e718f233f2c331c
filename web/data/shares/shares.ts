import type { BodyInputOf } from "#contract/api.ts";
import type { Share } from "#contract/endpoints/shares.ts";
import { useServices } from "../provider.tsx";
import { none, useResource } from "../resource.ts";

const sharesKey = ["shares"];

/** The person's links to their threads, or to one of them. Changes throw `CallError`. */
export function useShares(threadId?: string) {
  const { data, change, ...list } = useResource(
    [...sharesKey, threadId ?? ""],
    "shares.list",
    { query: threadId === undefined ? {} : { thread_id: threadId } },
    { others: [sharesKey] },
  );
  const shares: Share[] = data?.shares ?? none;
  return {
    ...list,
    shares,
    create: async (body: BodyInputOf<"shares.create">) => await change("shares.create", { body }),
    update: async (id: string, body: BodyInputOf<"shares.update">) =>
      await change("shares.update", { params: { share_id: id }, body }),
    revoke: async (id: string) => await change("shares.revoke", { params: { share_id: id } }),
  };
}

/** Copies a shared thread into the visitor's own threads. Returns the id of the copy. Throws `CallError`. */
export function useContinueShare(): (secret: string) => Promise<string> {
  const { call } = useServices();
  return async (secret) => {
    const [token = "", pass = "", at = ""] = secret.split(".");
    const body = { token, ...(pass === "" ? {} : { pass }), ...(at === "" ? {} : { at }) };
    return (await call("shares.continue", { body })).thread_id;
  };
}
