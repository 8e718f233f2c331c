import { expect, test } from "vitest";
import { discoverOidc } from "./oidc.ts";

const issuer = "https://1.1.1.1";
const place = { issuer, clientId: "parlance", clientSecret: undefined };

async function discover(endpoints: Record<string, string>) {
  const document = { issuer, authorization_endpoint: issuer, token_endpoint: issuer, ...endpoints };
  return await discoverOidc(place, async () => Response.json(document));
}

test.for(["token_endpoint", "userinfo_endpoint", "jwks_uri"])(
  "a public issuer cannot have its %s in a private network",
  async (name) => {
    for (const url of ["https://10.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/x"])
      await expect(discover({ [name]: url })).rejects.toThrow(/private network/);
    await expect(discover({ [name]: "https://1.0.0.1/x" })).resolves.toBeDefined();
  },
);
