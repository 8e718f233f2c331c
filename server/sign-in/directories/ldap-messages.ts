/**
 * Splits what an LDAP server sends into its messages (RFC 4511, 5.1), each copied once. Throws if it is not LDAP, or if there
 * are more than `bytesMax` bytes in all.
 */
export function splitMessages(bytesMax: number): (data: Buffer) => Generator<Buffer> {
  let received = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** How many bytes there have to be before it is worth looking again. */
  let wanted = 0;

  return function* (data) {
    received += data.length;
    if (received > bytesMax) throw new Error("The directory sends too much.");
    held.push(data);
    heldBytes += data.length;
    if (heldBytes < wanted) return;
    let rest = Buffer.concat(held, heldBytes);
    let size = sizeOf(rest);
    while (size !== undefined && size <= rest.length) {
      yield rest.subarray(0, size);
      rest = rest.subarray(size);
      size = sizeOf(rest);
    }
    held = [rest];
    heldBytes = rest.length;
    wanted = size ?? heldBytes + 1;
  };
}

/** The bytes of the message that begins here, a sequence in BER; `undefined` if its header is not complete. */
function sizeOf(bytes: Buffer): number | undefined {
  const [tag, first] = bytes;
  if (tag !== undefined && tag !== 0x30) throw new Error("The directory sends something else than messages.");
  if (first === undefined) return undefined;
  if (first < 0x80) return 2 + first;
  const lengthBytes = first - 0x80;
  if (lengthBytes === 0 || lengthBytes > 4)
    throw new Error("The directory sends a message without a length.");
  return bytes.length < 2 + lengthBytes ? undefined : 2 + lengthBytes + bytes.readUIntBE(2, lengthBytes);
}
