import type { Endpoint } from "#contract/endpoint.ts";

/** The path for logs. Where the URL is the permission, that is only its pattern, also if the request was never routed. */
export function loggedPath(endpoint: Endpoint | undefined, path: string): string {
  if (endpoint?.caller === "link") return endpoint.path;
  return path.startsWith("/s/") ? "/s/{token}" : path;
}
