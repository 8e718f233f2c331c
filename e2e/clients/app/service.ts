const query = new URLSearchParams(location.search);

type CloudOptions =
  | { baseUrl: string; anonymous: true }
  | { baseUrl: string; authToken: () => Promise<string | null> };

/** The client's configuration: the address of the service and the person. */
export function cloudOptions(): CloudOptions {
  const baseUrl = query.get("service") ?? "";
  const user = query.get("user");
  if (user === null) return { baseUrl, anonymous: true };
  return {
    baseUrl,
    // The app's own sign-in: its backend creates a token for the person with its API key.
    async authToken() {
      const response = await fetch(`/api/token?user=${encodeURIComponent(user)}`, { method: "POST" });
      return ((await response.json()) as { token: string }).token;
    },
  };
}
