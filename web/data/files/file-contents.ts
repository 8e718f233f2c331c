import { useQuery } from "@tanstack/react-query";
import type { ResponseOf } from "#contract/api.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { fileIdOf, readBeginning } from "./own-file.ts";
import { useServices } from "../provider.tsx";
import { withoutBase } from "#web/lib/base-path.ts";

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

/** The size of a stored file and the text that the server extracts from it. */
export function useExtractedText(address: string): LoadedContents<ResponseOf<"files.text">> {
  const { call } = useServices();
  const query = useQuery({
    queryKey: ["extracted-text", address],
    queryFn: async ({ signal }) =>
      await call("files.text", { params: { file_id: fileIdOf(address) ?? "" } }, signal),
    staleTime: ({ state }) => (state.data?.reason === "away" ? 0 : Infinity),
  });
  return { ...loadedOf(query), data: query.data };
}

/** The pages of a PDF in order, with their text and the URLs of their pictures. */
export function usePdfPages(address: string): LoadedContents<{ url: string; text: string }[]> {
  const { call } = useServices();
  const path = withoutBase(address);
  const query = useQuery({
    queryKey: ["pdf-pages", address],
    queryFn: async ({ signal }) =>
      (
        await call(
          "files.pdfToImages",
          // A path stays a path: the server may have another host name than the page.
          { body: { file_url: ownPath.test(path) ? path : new URL(address, location.origin).href } },
          signal,
        )
      ).pages,
    // The URLs expire.
    staleTime: 10 * 60_000,
  });
  return { ...loadedOf(query), data: query.data };
}
