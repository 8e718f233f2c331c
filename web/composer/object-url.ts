import { useEffect, useState } from "react";
import { isDrawn } from "#web/data/library/uploads/upload.ts";

/** An address in this page for the bytes of a picture, for as long as it is shown; `undefined` for everything else. */
export function useObjectUrl(file: Blob | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  const picture = isDrawn(type) ? file : undefined;
  useEffect(() => {
    if (picture === undefined || picture.size === 0) return undefined;
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [picture]);
  return url;
}
