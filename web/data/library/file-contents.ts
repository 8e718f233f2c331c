import { useQuery } from "@tanstack/react-query";
import { loadedOf, type Loaded } from "../load-state.ts";
import { readBeginning } from "./own-file.ts";
import { useServices } from "../provider.tsx";

export type LoadedContents<Value> = Loaded & { data: Value | undefined };

/** 256 KiB: more than anyone reads in a preview. */
const maxTextBytes = 256 * 1024;
const ownPath = /^\/v1\/files\//;

/** The beginning of a text file. */
export function useFileText(address: string): LoadedContents<{ text: string; isAll: boolean }> {
  const { session } = useServices();
  const query = useQuery({
    queryKey: ["file-text", address],
    queryFn: async ({ signal }) => await readBeginning(address, maxTextBytes, session.credentials, signal),
  });
  return { ...loadedOf(query), data: query.data };
}

/** The pages of a PDF in order, with their text and the URLs of their pictures. */
export function usePdfPages(address: string): LoadedContents<{ url: string; text: string }[]> {
  const { call } = useServices();
  const query = useQuery({
    queryKey: ["pdf-pages", address],
    queryFn: async ({ signal }) =>
      (
        await call(
          "files.pdfToImages",
          // A path stays a path: the server may have another host name than the page.
          { body: { file_url: ownPath.test(address) ? address : new URL(address, location.origin).href } },
          signal,
        )
      ).pages,
    // The URLs expire.
    staleTime: 10 * 60_000,
  });
  return { ...loadedOf(query), data: query.data };
}
