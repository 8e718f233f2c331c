import type { BodyInputOf, ResponseOf } from "#contract/api.ts";
import { CallError } from "#web/data/call-error.ts";
import { useServices } from "#web/data/provider.tsx";
import { listKey } from "#web/data/query-keys.ts";
import { none, useResource } from "#web/data/resource.ts";
import { nameHere } from "#web/lib/base-path.ts";
import { withOwnText } from "./problem-texts.ts";

const key = nameHere("parlance.tool-server-sign-in");

/** The tool servers that the person can use. Changes throw `CallError`. */
export function useToolServers() {
  const { call } = useServices();
  const { data, change, ...list } = useResource(listKey("toolServers-put"), "toolServers.list", {});
  const of = (id: string) => ({ params: { tool_server_id: id } });
  return {
    ...list,
    servers: data?.servers ?? none,
    mayAdd: data?.may_add === true,
    mayShare: data?.may_share === true,
    create: async (body: BodyInputOf<"toolServers.create">) =>
      (await withOwnText(change("toolServers.create", { body }))).server,
    change: async (id: string, body: BodyInputOf<"toolServers.change">) =>
      await withOwnText(change("toolServers.change", { ...of(id), body })),
    remove: async (id: string) => await withOwnText(change("toolServers.remove", of(id))),
    /** Also lists the tools that the person gets from then on. */
    test: async (id: string): Promise<ResponseOf<"toolServers.test">> =>
      await withOwnText(change("toolServers.test", of(id))),
    /** Where the person signs in. `leave` sends the browser there; it comes back to `/settings/tools`. */
    async startSignIn(id: string): Promise<{ host: string; leave: () => void }> {
      const { url, flow, host } = await withOwnText(call("toolServers.startSignIn", of(id)));
      return {
        host,
        leave() {
          // Only this tab can finish it.
          sessionStorage.setItem(key, flow);
          location.assign(url);
        },
      };
    },
    /** Finishes the sign-in of this tab with the query of the page. Returns the name of the server. */
    async finishSignIn(response: string): Promise<string> {
      const flow = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      if (flow === null) throw new CallError({ code: "sign-in-expired", retry: false });
      const finished = await withOwnText(change("toolServers.finishSignIn", { body: { flow, response } }));
      return finished.server.name;
    },
    signOut: async (id: string) => await withOwnText(change("toolServers.signOut", of(id))),
  };
}

export type ToolServerList = ReturnType<typeof useToolServers>;
