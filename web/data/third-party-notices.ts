import { useQuery } from "@tanstack/react-query";
import { loadedOf } from "./load-state.ts";
import { readOwnFile } from "./own-file.ts";
import { inApp } from "#web/lib/base-path.ts";

/** The text about the software of others that Parlance contains, which the build has as a file. */
export const noticesUrl = inApp("/third-party-notices.txt");

export function useThirdPartyNotices() {
  const query = useQuery({
    queryKey: ["third-party-notices"],
    queryFn: async () => await readOwnFile(noticesUrl),
    staleTime: Infinity,
  });
  return { ...loadedOf(query), text: query.data };
}
