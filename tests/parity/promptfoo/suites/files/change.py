def get_transform(output, context):
    return output[::-1]


def words(output, context):
    return {"words": output.split()}
