import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { ResponseOf } from "#contract/api.ts";
import type { CallInput, JsonEndpoint } from "./call.ts";
import { loadedOf, loadedPagesOf } from "./load-state.ts";
import { useServices } from "./provider.tsx";

/** What a list is before it is read: always the same one, so that it renders nothing again. */
export const none: never[] = [];

type Options<Data> = {
  enabled?: boolean;
  /** How long what was read is shown without reading it again, in milliseconds. */
  staleTime?: number | ((query: { state: { data: Data | undefined } }) => number);
  refetchOnWindowFocus?: boolean;
  placeholderData?: typeof keepPreviousData;
};

/**
 * What an endpoint returns, read again whenever it is shown. `change` calls another endpoint, and reads it and what has
 * the keys in `others` again.
 */
export function useResource<Name extends JsonEndpoint>(
  key: QueryKey,
  name: Name,
  input: CallInput<Name>,
  { others = [], ...options }: Options<ResponseOf<Name>> & { others?: readonly QueryKey[] } = {},
) {
  const { call } = useServices();
  const query = useQuery<ResponseOf<Name>>({
    queryKey: key,
    queryFn: async ({ signal }) => await call(name, input, signal),
    staleTime: 0,
    ...options,
  });
  return { ...loadedOf(query), data: query.data, change: useChange(key, ...others) };
}

/**
 * What a form begins with: what the endpoint returns when the form is opened, never what was read before. It is not read
 * again while the form is open. `undefined` until then.
 */
export function useStored<Name extends JsonEndpoint>(
  key: QueryKey,
  name: Name,
  input: CallInput<Name>,
  { enabled = true }: { enabled?: boolean } = {},
) {
  const { call } = useServices();
  const query = useQuery<ResponseOf<Name>>({
    queryKey: key,
    queryFn: async ({ signal }) => await call(name, input, signal),
    enabled,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const data = query.isFetchedAfterMount ? query.data : undefined;
  return { ...loadedOf({ ...query, data }), data };
}

/**
 * A list that an endpoint returns page by page, read again whenever it is shown. `inputOf` gets the cursor of a page, and
 * `next` returns that of the page after one. While the list of another key loads, the pages of the previous one stay,
 * unless `isCleared`. `pollMs` says when the list is read again while its first page is like this.
 */
export function usePages<Name extends JsonEndpoint>(
  key: QueryKey,
  name: Name,
  inputOf: (after: { after?: string }) => CallInput<Name>,
  {
    next = nextOf,
    isCleared = false,
    enabled = true,
    pollMs,
  }: {
    next?: (page: ResponseOf<Name>) => string | null;
    isCleared?: boolean;
    enabled?: boolean;
    pollMs?: (first: ResponseOf<Name>) => number | undefined;
  } = {},
) {
  const { call } = useServices();
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ signal, pageParam }) =>
      await call(name, inputOf(pageParam === null ? {} : { after: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: next,
    enabled,
    ...(isCleared ? {} : { placeholderData: keepPreviousData }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.pages[0] && pollMs?.(data.pages[0])) ?? false,
  });
  return { ...loadedPagesOf(query), pages: query.data?.pages ?? none };
}

function nextOf(page: unknown): string | null {
  return (page as { next: string | null }).next;
}

/**
 * Calls endpoints, and then reads what has these keys again, also if a call failed: then the rows may be outdated. Throws
 * `CallError`.
 */
export function useChange(...keys: QueryKey[]) {
  const { call } = useServices();
  const queries = useQueryClient();
  return async <Name extends JsonEndpoint>(name: Name, input: CallInput<Name>): Promise<ResponseOf<Name>> => {
    try {
      return await call(name, input);
    } finally {
      await Promise.all(keys.map(async (queryKey) => await queries.invalidateQueries({ queryKey })));
    }
  };
}

/** The part of a query that searches: none for an empty text. */
export function searchFor(search: string): { search?: string } {
  return search === "" ? {} : { search };
}
