import { useEffect, useState } from "react";
import { isImageType } from "#web/data/files/uploads/upload.ts";

/** An object URL for a picture while it is mounted; `undefined` for other files. */
export function useObjectUrl(file: Blob | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  const picture = isImageType(type) ? file : undefined;
  useEffect(() => {
    if (picture === undefined || picture.size === 0) return undefined;
    const objectUrl = URL.createObjectURL(picture);
    setUrl(objectUrl);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(objectUrl);
    };
  }, [picture]);
  return url;
}
