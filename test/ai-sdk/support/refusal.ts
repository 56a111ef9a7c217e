/** What a promise was rejected with; a promise that resolves is the failure here. */
export const refusal = async (promise: Promise<unknown>): Promise<Error> => {
  const value = await promise.catch((error: unknown) => {
    if (error instanceof Error) return error;
    throw new Error(`It was rejected with something that is no Error: ${String(error)}`);
  });
  if (value instanceof Error) return value;
  throw new Error(`It resolved with ${JSON.stringify(value)}.`);
};
