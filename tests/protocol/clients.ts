import * as current from "assistant-cloud";
import * as earlier from "assistant-cloud-0.1";
import * as newest from "assistant-cloud-0.2.9";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { apiKey, people } from "#fixtures/people.ts";
import type { TestServer } from "../support/server.ts";

/** The protocol's own clients, unmodified, newest first. All are typed as 0.2.2; what they share behaves alike. */
export const clients = [
  ["assistant-cloud 0.2.9", newest as unknown as typeof current],
  ["assistant-cloud 0.2.2", current],
  ["assistant-cloud 0.1.43", earlier as unknown as typeof current],
] as const;

export type Client = typeof current;

/** Whether this client is of the 0.1 line, which knows less of what the service answers. */
export const isFirstLine = (client: Client): boolean => client === clients[2][1];
export type Cloud = InstanceType<Client["AssistantCloud"]>;

let workspaces = 0;

/** A backend's client: an API key, and whom it acts for. Each call is a workspace of its own unless it says which. */
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

/** A browser's client without an account. What it keeps, it keeps in the `localStorage` of `inBrowser`. */
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

/** Runs `work` where `localStorage` is as a browser has it: `kept` holds what it keeps, before and after. */
export async function inBrowser<T>(kept: Map<string, string>, work: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  Object.defineProperty(globalThis, "localStorage", { configurable: true, value: storage });
  try {
    return await work();
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, "localStorage");
    else Object.defineProperty(globalThis, "localStorage", before);
  }
}

/** What a browser that has been here before keeps of it. */
export function keptToken(
  server: TestServer,
  kept: Map<string, string>,
): { token: string; expires_at: string } {
  return JSON.parse(kept.get(`aui:refresh_token:${server.url}`) ?? "null") as {
    token: string;
    expires_at: string;
  };
}

/** What a client's user is told where a call fails: the status and the sentence, and from newer clients the protocol's text. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ status: number; message: string; code?: string }> {
  try {
    await call;
  } catch (error) {
    const { status, message, code } = error as { status: number; message: string; code?: string };
    return { status, message, ...(code === undefined ? {} : { code }) };
  }
  throw new Error("It did not fail.");
}

/** The same as the catalogue has it. */
export function told(client: Client, code: ErrorCode): { status: number; message: string; code?: string } {
  const { status, message, error } = errors[code];
  return { status, message, ...(isFirstLine(client) ? {} : { code: error }) };
}
