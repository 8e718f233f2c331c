import * as newest from "assistant-cloud";
import * as earliest from "assistant-cloud-0.1";
import * as early from "assistant-cloud-0.2.2";
import * as earlier from "assistant-cloud-0.2.9";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { apiKey, people } from "#fixtures/people.ts";
import { currentServer, test as testWithPeople, type TestServer } from "../support/servers/server.ts";

/** The protocol's own clients, unmodified, newest first. All have the type of the newest. */
export const clients = [
  ["assistant-cloud 0.2.11", newest],
  ["assistant-cloud 0.2.9", earlier as unknown as typeof newest],
  ["assistant-cloud 0.2.2", early as unknown as typeof newest],
  ["assistant-cloud 0.1.43", earliest as unknown as typeof newest],
] as const;

export type Client = typeof newest;

/** For tests of the server's behaviour, which does not depend on the client's version. */
export const newestClient: Client = clients[0][1];

/** Whether this is a 0.1 client, which reads fewer fields of errors and responses. */
export const isFirstLine = (client: Client): boolean => client === clients[3][1];

export type Cloud = InstanceType<Client["AssistantCloud"]>;

let workspaces = 0;

/** A backend's client: an API key, and the user that it acts for. Each call gets a new workspace unless `who` names one. */
export function keyCloud(
  client: Client,
  server: TestServer,
  who: { userId?: string; workspaceId?: string } = {},
): Cloud {
  return new client.AssistantCloud({
    baseUrl: `${server.url}/`,
    apiKey,
    userId: who.userId ?? people.ada.userId,
    workspaceId: who.workspaceId ?? `protocol_${++workspaces}`,
    telemetry: false,
  });
}

/** A test with the newest client in a new workspace. */
export const test = testWithPeople.extend("cloud", () => keyCloud(newestClient, currentServer()));

/** A browser's client without an account. It stores its token in the `localStorage` of `inBrowser`. */
export function anonymousCloud(client: Client, server: TestServer): Cloud {
  return new client.AssistantCloud({ baseUrl: server.url, anonymous: true, telemetry: false });
}

export function tokenCloud(
  client: Client,
  server: TestServer,
  authToken: () => Promise<string | null>,
): Cloud {
  return new client.AssistantCloud({ baseUrl: server.url, authToken, telemetry: false });
}

/** Runs `work` with a global `localStorage` whose entries are `stored`. */
export async function inBrowser<T>(stored: Map<string, string>, work: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  };
  Object.defineProperty(globalThis, "localStorage", { configurable: true, value: storage });
  try {
    return await work();
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, "localStorage");
    else Object.defineProperty(globalThis, "localStorage", before);
  }
}

/** The refresh token that a client has stored. */
export function storedToken(
  server: TestServer,
  stored: Map<string, string>,
): { token: string; expires_at: string } {
  return JSON.parse(stored.get(`aui:refresh_token:${server.url}`) ?? "null") as {
    token: string;
    expires_at: string;
  };
}

/** The error of a failed call: status and message, and from newer clients the protocol's error text as `code`. */
export async function errorOf(
  call: Promise<unknown>,
): Promise<{ status: number; message: string; code?: string }> {
  try {
    await call;
  } catch (error) {
    const { status, message, code } = error as { status: number; message: string; code?: string };
    return { status, message, ...(code === undefined ? {} : { code }) };
  }
  throw new Error("The call did not fail.");
}

/** The error that `errorOf` returns for this code. */
export function expectedError(
  client: Client,
  code: ErrorCode,
): { status: number; message: string; code?: string } {
  const { status, message, error } = errors[code];
  return { status, message, ...(isFirstLine(client) ? {} : { code: error }) };
}
