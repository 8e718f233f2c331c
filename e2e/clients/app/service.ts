const query = new URLSearchParams(location.search);

type CloudOptions =
  | { baseUrl: string; anonymous: true }
  | { baseUrl: string; authToken: () => Promise<string | null> };

/** All that an app tells its client: where the service is, and who the person is. */
export function cloudOptions(): CloudOptions {
  const baseUrl = query.get("service") ?? "";
  const user = query.get("user");
  if (user === null) return { baseUrl, anonymous: true };
  return {
    baseUrl,
    // The app's own sign-in: its backend knows the person and mints a token with its API key.
    async authToken() {
      const response = await fetch(`/api/token?user=${encodeURIComponent(user)}`, { method: "POST" });
      return ((await response.json()) as { token: string }).token;
    },
  };
}
