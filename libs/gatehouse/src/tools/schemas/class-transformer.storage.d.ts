// The package has types for this file, but not beside it.
declare module 'class-transformer/cjs/storage.js' {
  import type { TypeMetadata } from 'class-transformer';

  export const defaultMetadataStorage: {
    findTypeMetadata(target: object, propertyName: string): TypeMetadata | undefined;
  };
}
