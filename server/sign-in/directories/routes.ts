import type { Me } from "#contract/endpoints/auth.ts";
import { JsonResponse, type Routes, type Visitor } from "#server/lib/route.ts";
import { ownPageOf } from "#server/people/accounts/request-source.ts";
import type { DirectorySignIn } from "./directory-sign-in.ts";
import type { TestDirectory } from "./test-directory.ts";

type Names = "directories.test" | "accounts.directorySignIn";

export function directoryRoutes(
  { directorySignIn, testDirectory }: { directorySignIn: DirectorySignIn; testDirectory: TestDirectory },
  { me }: { me: (visitor: Visitor) => Promise<Me> },
): Routes<Names> {
  return {
    "directories.test": async ({ visitor, body }) => await testDirectory(visitor.role, body),
    "accounts.directorySignIn": async ({ params, body, request }) => {
      const result = await directorySignIn(params.provider, body, ownPageOf(request));
      if (result.status !== "signed-in") return { status: result.status, me: null };
      const { session } = result;
      return new JsonResponse({ status: "signed-in", me: await me(session.visitor) }, { session });
    },
  };
}
