import { requestLines, type AppEndpoint } from "#contract/paths.ts";

/** The method and the path of an endpoint. In the built page each is one string, which is smaller. */
export function requestLineOf(name: AppEndpoint): { method: string; path: string } {
  const [method = "", path = ""] = requestLines[name].split(" ");
  return { method, path };
}
