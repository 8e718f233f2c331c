import { createCheckedFetch } from "../fetch/public-fetch.ts";
import { createOutgoingProxy } from "../fetch/outgoing-proxy.ts";
import type { Live } from "../live/live.ts";
import type { Rights } from "../people/rights/rights.ts";
import { readConfiguredServers } from "../tool-servers/configured-servers.ts";
import { boundResponse } from "../tool-servers/connections/bound-response.ts";
import { createConnections } from "../tool-servers/connections/connections.ts";
import { createOfferedTools } from "../tool-servers/offered/offered-tools.ts";
import { createReach } from "../tool-servers/reach.ts";
import { createToolServerVault } from "../tool-servers/server-secrets.ts";
import { createSignInFlows } from "../tool-servers/sign-in/flows.ts";
import { createTokens } from "../tool-servers/sign-in/tokens.ts";
import { createToolServers } from "../tool-servers/tool-servers.ts";
import { createUsableServers } from "../tool-servers/usable-servers.ts";
import { mayStoreSecrets, type Dependencies } from "./dependencies.ts";

/** A call may send its first byte when it is done, after minutes. */
const responseMs = 5 * 60_000;
/** 1 MiB: documents of sign-in servers and tokens have a few kilobytes. */
const signInBytesMax = 1024 * 1024;

export type ToolServerModules = ReturnType<typeof composeToolServers>;

/** The modules of tool servers. */
export function composeToolServers(
  dependencies: Dependencies,
  { live, rights }: { live: Live; rights: Rights },
) {
  const { config, db, secret } = dependencies;
  const configured = readConfiguredServers(config.toolServersFile);
  const vault = createToolServerVault(secret);
  const proxy = createOutgoingProxy(config.outgoingProxy);
  const fetchOf = ({ public_only: publicOnly }: { public_only: number }) =>
    createCheckedFetch({ isPublicOnly: publicOnly === 1, proxy, responseMs });
  const signInFetchOf = (server: { public_only: number }): ReturnType<typeof fetchOf> => {
    const send = fetchOf(server);
    return async (input, init) => boundResponse(await send(input, init), { wholeMax: signInBytesMax });
  };
  const usable = createUsableServers({ db, rights, configured });
  const tokens = createTokens({ ...dependencies, vault, fetchOf: signInFetchOf });
  const reach = createReach({ db, vault, tokens, fetchOf });
  const connections = createConnections({
    ...dependencies,
    reachOf: reach.of,
    onListChanged: (server, userId) => void offered.listChanged(server, userId),
  });
  const offered = createOfferedTools({
    ...dependencies,
    usable,
    connections,
    onUnauthorized: reach.onUnauthorized,
  });
  return {
    toolServers: createToolServers({
      ...dependencies,
      live,
      rights,
      vault,
      mayStoreSecrets: mayStoreSecrets(dependencies),
      configured,
      usable,
      disconnect: connections.disconnect,
    }),
    usable,
    offered,
    connections,
    flows: createSignInFlows({ ...dependencies, vault, tokens, fetchOf: signInFetchOf }),
  };
}
