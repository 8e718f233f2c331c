let send: typeof fetch = async (input, init) => await fetch(input, init);

/** Sends the requests to buckets with `outside` from now on, such as through the proxy of the process. */
export function setS3Fetch(outside: typeof fetch): void {
  send = outside;
}

export const fetchFromBucket: typeof fetch = async (input, init) => await send(input, init);
