import { useQuery } from "@tanstack/react-query";
import { failureOf, type Failure } from "../failure.ts";
import { readBeginning } from "./own-file.ts";
import { useServices } from "../provider.tsx";

export type Loaded<Value> = { data?: Value; failure?: Failure; retry: () => void };

/** 256 KiB: more than anyone reads in a preview. */
const maxTextBytes = 256 * 1024;
const ownPath = /^\/v1\/files\//;

/** The beginning of a text file. */
export function useFileText(address: string): Loaded<{ text: string; isAll: boolean }> {
  const { session } = useServices();
  const { data, error, refetch } = useQuery({
    queryKey: ["file-text", address],
    queryFn: async ({ signal }) => await readBeginning(address, maxTextBytes, session.credentials, signal),
  });
  return toLoaded(data, error, () => void refetch());
}

/** The URLs of a PDF's pages as pictures, in order. */
export function usePdfPages(address: string): Loaded<string[]> {
  const { call } = useServices();
  const { data, error, refetch } = useQuery({
    queryKey: ["pdf-pages", address],
    queryFn: async ({ signal }) =>
      (
        await call(
          "files.pdfToImages",
          // A path stays a path: the server may have another host name than the page.
          { body: { file_url: ownPath.test(address) ? address : new URL(address, location.origin).href } },
          signal,
        )
      ).urls,
    // The URLs expire.
    staleTime: 10 * 60_000,
  });
  return toLoaded(data, error, () => void refetch());
}

function toLoaded<Value>(data: Value | undefined, error: Error | null, retry: () => void): Loaded<Value> {
  return {
    ...(data === undefined ? {} : { data }),
    ...(error === null ? {} : { failure: failureOf(error) }),
    retry,
  };
}
